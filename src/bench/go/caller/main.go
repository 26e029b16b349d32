// Calls a device plugin as a kubelet does that has just started, and prints how long it took: so that the client costs the
// same whichever plugin is measured.
//
//	caller DIRECTORY CALLS [PID DEVICE]
//
// It serves kubelet.sock in the directory, waits for one plugin, and asks CALLS times for one device, the first healthy one
// or that one. Its output is a line for each figure, its name and microseconds: list (from the socket's making to the first
// list), call for each Allocate in turn, and cpu for what the process PID took for each of the last half of the calls.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

type kubelet struct {
	api.UnimplementedRegistrationServer
	directory string
	wanted    string // the device; any if empty
	plugins   chan plugin
}

type plugin struct {
	client api.DevicePluginClient
	device string // the ID of a healthy one
	listed time.Time
}

// Register answers at once and reads the list afterwards, as a kubelet does.
func (k *kubelet) Register(ctx context.Context, request *api.RegisterRequest) (*api.Empty, error) {
	connection, err := grpc.NewClient("unix:"+filepath.Join(k.directory, request.Endpoint),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	client := api.NewDevicePluginClient(connection)
	if _, err := client.GetDevicePluginOptions(ctx, &api.Empty{}); err != nil {
		return nil, err
	}
	go k.read(client)
	return &api.Empty{}, nil
}

func (k *kubelet) read(client api.DevicePluginClient) {
	stream, err := client.ListAndWatch(context.Background(), &api.Empty{})
	check(err)
	list, err := stream.Recv()
	check(err)
	listed := time.Now()
	for _, device := range list.Devices {
		if device.Health == api.Healthy && (k.wanted == "" || k.wanted == device.ID) {
			k.plugins <- plugin{client, device.ID, listed}
			break
		}
	}
	for err == nil {
		_, err = stream.Recv()
	}
}

func main() {
	if len(os.Args) != 3 && len(os.Args) != 5 {
		log.Fatal("usage: caller DIRECTORY CALLS [PID DEVICE]")
	}
	calls, err := strconv.Atoi(os.Args[2])
	check(err)
	k := &kubelet{directory: os.Args[1], plugins: make(chan plugin, 1)}
	pid := ""
	if len(os.Args) == 5 {
		pid, k.wanted = os.Args[3], os.Args[4]
	}
	// as a kubelet that starts
	sockets, err := filepath.Glob(filepath.Join(k.directory, "*.sock"))
	check(err)
	for _, socket := range sockets {
		check(os.Remove(socket))
	}
	server := grpc.NewServer()
	api.RegisterRegistrationServer(server, k)
	begun := time.Now()
	socket, err := net.Listen("unix", filepath.Join(k.directory, "kubelet.sock"))
	check(err)
	go server.Serve(socket)

	select {
	case p := <-k.plugins:
		out := bufio.NewWriter(os.Stdout)
		fmt.Fprintln(out, "list", p.listed.Sub(begun).Microseconds())
		half, begun := calls/2, int64(0)
		for i := range calls {
			if pid != "" && i == half {
				begun = cpu(pid)
			}
			fmt.Fprintln(out, "call", allocate(p).Microseconds())
		}
		if pid != "" {
			fmt.Fprintln(out, "cpu", (cpu(pid)-begun)/int64(calls-half))
		}
		check(out.Flush())
	case <-time.After(30 * time.Second):
		log.Fatal("no plugin has come")
	}
}

func allocate(p plugin) time.Duration {
	begun := time.Now()
	answer, err := p.client.Allocate(context.Background(), &api.AllocateRequest{
		ContainerRequests: []*api.ContainerAllocateRequest{{DevicesIds: []string{p.device}}}})
	took := time.Since(begun)
	check(err)
	if len(answer.ContainerResponses) != 1 {
		log.Fatal("not one answer")
	}
	return took
}

// cpu is what all threads of a process have run, also those that have ended, in microseconds.
func cpu(pid string) int64 {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	check(err)
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	user, err := strconv.ParseInt(fields[11], 10, 64)
	check(err)
	system, err := strconv.ParseInt(fields[12], 10, 64)
	check(err)
	return (user + system) * 10_000 // ticks of 10 ms
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
