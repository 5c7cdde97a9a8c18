// heap.go -- a program of Go's that writes its heap profile.
//
// usage: heap FILE [RATE]
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
)

var kept [][]byte

//go:noinline
func leaf(n int) []byte { return make([]byte, n) }

func work() {
	for i := 0; i < 2000; i++ {
		b := leaf(4096)
		if i%10 == 0 {
			kept = append(kept, b)
		}
	}
}

func main() {
	if len(os.Args) > 2 {
		runtime.MemProfileRate, _ = strconv.Atoi(os.Args[2])
	}
	work()
	runtime.GC()
	f, err := os.Create(os.Args[1])
	if err != nil || pprof.WriteHeapProfile(f) != nil || f.Close() != nil {
		os.Exit(1)
	}
	runtime.KeepAlive(kept)
}
