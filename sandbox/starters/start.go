// Starts the connector on the port PORT, or says in one line why it cannot start.
package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
)

func end(reason any) {
	fmt.Fprintln(os.Stderr, "connector:", reason)
	os.Exit(1)
}

func main() {
	missing := []string{}
	for _, name := range []string{"POSTHORN_API", "POSTHORN_NUMBER", "POSTHORN_TOKEN", "POSTHORN_SECRET"} {
		if os.Getenv(name) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		end("set " + strings.Join(missing, ", ") + ", as README.md shows")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if errors.Is(err, syscall.EADDRINUSE) {
		end("port " + port + " is in use; set PORT to another, and use its URL on your platform")
	}
	if err != nil {
		end(err)
	}
	fmt.Printf("connector on http://%s\n", listener.Addr())
	end(http.Serve(listener, http.HandlerFunc(serve)))
}
