// Package tide counts waves.
package tide

import (
	"fmt"

	"time"
)

// Wave is one of them.
type Wave struct {
	Height float64

	At time.Time
}

// Show prints a wave.
func Show(w Wave) {
	fmt.Println(w.Height)

	fmt.Println(w.At)

}
