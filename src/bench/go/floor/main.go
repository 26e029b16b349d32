// A device plugin with nothing in it: what edgeplug is measured beside. It offers files, knows no hot-plug, no health and
// no error, and waits for the kubelet's socket by inotify, so that nothing of its kind can be much faster.
//
//	floor DIRECTORY RESOURCE=PATTERN...
//
// A container gets the files, read-only, and their names in a variable named after the resource.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const kubeletSocket = "kubelet.sock"

type plugin struct {
	api.UnimplementedDevicePluginServer
	resource string
	variable string
	paths    map[string]string // of each file, by its name
}

func newPlugin(resource, pattern string) *plugin {
	found, err := filepath.Glob(pattern)
	check(err)
	paths := map[string]string{}
	for _, path := range found {
		paths[filepath.Base(path)] = path
	}
	return &plugin{resource: resource, variable: strings.ToUpper(filepath.Base(resource)), paths: paths}
}

func (p *plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

func (p *plugin) ListAndWatch(_ *api.Empty, stream api.DevicePlugin_ListAndWatchServer) error {
	list := &api.ListAndWatchResponse{}
	for id := range p.paths {
		list.Devices = append(list.Devices, &api.Device{ID: id, Health: api.Healthy})
	}
	if err := stream.Send(list); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (p *plugin) Allocate(_ context.Context, request *api.AllocateRequest) (*api.AllocateResponse, error) {
	answer := &api.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		one := &api.ContainerAllocateResponse{Envs: map[string]string{p.variable: strings.Join(container.DevicesIds, ",")}}
		for _, id := range container.DevicesIds {
			path, known := p.paths[id]
			if !known {
				return nil, fmt.Errorf("%s: no such file", id)
			}
			one.Mounts = append(one.Mounts, &api.Mount{ContainerPath: path, HostPath: path, ReadOnly: true})
		}
		answer.ContainerResponses = append(answer.ContainerResponses, one)
	}
	return answer, nil
}

// serve answers on a socket of this name, until the next kubelet comes.
func (p *plugin) serve(path string) *grpc.Server {
	socket, err := net.Listen("unix", path)
	check(err)
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, p)
	go server.Serve(socket)
	return server
}

// registerAll serves each plugin, as a kubelet that starts has deleted all sockets, and registers all side by side.
func registerAll(directory string, generation int, plugins []*plugin) (servers []*grpc.Server) {
	connection, err := grpc.NewClient("unix:"+filepath.Join(directory, kubeletSocket),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	defer connection.Close()
	kubelet := api.NewRegistrationClient(connection)
	var all sync.WaitGroup
	for number, p := range plugins {
		name := fmt.Sprintf("floor-%d-%d.sock", generation, number)
		servers = append(servers, p.serve(filepath.Join(directory, name)))
		all.Go(func() {
			_, err := kubelet.Register(context.Background(), &api.RegisterRequest{
				Version: api.Version, Endpoint: name, ResourceName: p.resource}, grpc.WaitForReady(true))
			if err != nil {
				log.Print(p.resource, ": ", err)
				return
			}
			log.Print(p.resource, ": registered")
		})
	}
	all.Wait()
	return servers
}

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: floor DIRECTORY RESOURCE=PATTERN...")
	}
	directory := os.Args[1]
	var plugins []*plugin
	for _, argument := range os.Args[2:] {
		resource, pattern, _ := strings.Cut(argument, "=")
		plugins = append(plugins, newPlugin(resource, pattern))
	}

	kubelets := watch(directory)
	notify("READY=1")
	var servers []*grpc.Server
	// what a dead kubelet has left is refused at once, and a living one needs no event
	listens := isListening(directory)
	for generation := 0; ; generation++ {
		if !listens {
			<-kubelets
			awaitListening(directory)
		}
		listens = false
		for _, server := range servers {
			server.Stop()
		}
		servers = registerAll(directory, generation, plugins)
	}
}

func isListening(directory string) bool {
	connection, err := net.Dial("unix", filepath.Join(directory, kubeletSocket))
	if err != nil {
		return false
	}
	check(connection.Close())
	return true
}

// awaitListening returns once the kubelet listens, as its socket has its name a moment before: gRPC would try again only
// after a second.
func awaitListening(directory string) {
	for !isListening(directory) {
		time.Sleep(time.Millisecond)
	}
}

// watch tells of each kubelet.sock that is made.
func watch(directory string) <-chan struct{} {
	inotify, err := syscall.InotifyInit1(syscall.IN_CLOEXEC)
	check(err)
	_, err = syscall.InotifyAddWatch(inotify, directory, syscall.IN_CREATE)
	check(err)
	made := make(chan struct{}, 16)
	go func() {
		events := make([]byte, 65536)
		for {
			length, err := syscall.Read(inotify, events)
			check(err)
			if strings.Contains(string(events[:length]), kubeletSocket+"\x00") {
				made <- struct{}{}
			}
		}
	}()
	return made
}

// notify tells systemd, where that is who started this.
func notify(state string) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	connection, err := net.Dial("unixgram", socket)
	check(err)
	_, err = connection.Write([]byte(state))
	check(err)
	check(connection.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
