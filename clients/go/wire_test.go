package palio

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// TestGoldenMessages reads and writes the messages that all SDKs are tested with.
func TestGoldenMessages(t *testing.T) {
	files, err := filepath.Glob("../../tests/vectors/wire/*.binpb")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".binpb")
		t.Run(name, func(t *testing.T) {
			root, _, _ := strings.Cut(name, ".")
			kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("palio.v1." + root))
			if err != nil {
				t.Fatal(err)
			}
			wire := readFile(t, file)
			message := kind.New().Interface()
			if err := proto.Unmarshal(wire, message); err != nil {
				t.Fatal(err)
			}
			again, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			reread := kind.New().Interface() // Go writes the fields in an order of its own
			if err := proto.Unmarshal(again, reread); err != nil {
				t.Fatal(err)
			}
			if len(again) != len(wire) || !proto.Equal(message, reread) {
				t.Errorf("writes\n%x, not\n%x", again, wire)
			}
			text, err := protojson.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			want := readFile(t, strings.TrimSuffix(file, ".binpb")+".json")
			if !reflect.DeepEqual(parsed(t, text), parsed(t, want)) {
				t.Errorf("as JSON\n%s, not\n%s", text, want)
			}
		})
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parsed(t *testing.T, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
