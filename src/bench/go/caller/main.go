// Calls a device plugin as a kubelet does that has just started, and prints how long it took: so that the client costs the
// same whichever plugin is measured.
//
//	caller DIRECTORY CALLS
//
// It serves kubelet.sock in the directory, waits for one plugin, and asks CALLS times for one device. Its output is a line
// for each figure, its name and microseconds: list (from the socket's making to the first list), and call for each Allocate
// in turn.
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
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

type kubelet struct {
	api.UnimplementedRegistrationServer
	directory string
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
		if device.Health == api.Healthy {
			k.plugins <- plugin{client, device.ID, listed}
			break
		}
	}
	for err == nil {
		_, err = stream.Recv()
	}
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: caller DIRECTORY CALLS")
	}
	calls, err := strconv.Atoi(os.Args[2])
	check(err)
	k := &kubelet{directory: os.Args[1], plugins: make(chan plugin, 1)}
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
		for range calls {
			fmt.Fprintln(out, "call", allocate(p).Microseconds())
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

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
