package objspec_test

import (
	"fmt"

	"github.com/aeroload/aeroload/objspec"
)

// A record with a constant string, a constant list and a number.
func ExampleParse() {
	spec, err := objspec.Parse(`"v1",[1,2],I1`, objspec.Options{BinName: "bin"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.Bins())

	g := spec.NewGenerator(1)
	for _, bin := range g.Record(1, []int{0, 1}) {
		fmt.Println(bin.Name, bin.Value)
	}
	// Output:
	// [bin bin_2 bin_3]
	// bin 76 31
	// bin_2 92 01 02
}

// An error shows where it is.
func ExampleError() {
	_, err := objspec.Parse("I4,[2*S10,I9],D", objspec.Options{})
	fmt.Println(err)
	// Output:
	// object spec: expected a size from 1 to 8 after "I", found "9"
	//   I4,[2*S10,I9],D
	//              ^
}

// Generators make realistic values, which depend on the seed and the key alone.
func ExampleGenerator() {
	spec, err := objspec.Parse(`id=@key,name=@full_name,plan=@pick("free":9,"pro":1)`, objspec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := spec.NewGenerator(1)
	for _, bin := range g.Record(7, nil) {
		value, err := objspec.Value(bin)
		fmt.Println(bin.Name, value, err)
	}
	// Output:
	// id 7 <nil>
	// name Corbin Olson <nil>
	// plan free <nil>
}
