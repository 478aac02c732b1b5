package palio.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonParser;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The messages that all SDKs are tested with. */
class WireTest {
  private static final Path WIRE = Path.of("..", "..", "tests", "vectors", "wire");

  private static final JsonFormat.Printer JSON =
      JsonFormat.printer()
          .usingTypeRegistry(JsonFormat.TypeRegistry.newBuilder().add(Duration.getDescriptor()).build());

  static List<String> names() throws IOException {
    try (var files = Files.list(WIRE)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".binpb"))
          .map(name -> name.substring(0, name.length() - ".binpb".length()))
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void goldenMessageReadsAndWritesTheSame(String name) throws Exception {
    var wire = Files.readAllBytes(WIRE.resolve(name + ".binpb"));
    var type = Class.forName("palio.v1." + name.split("\\.")[0]);
    var message = (Message) type.getMethod("parseFrom", byte[].class).invoke(null, wire);
    assertArrayEquals(wire, message.toByteArray());
    assertEquals(
        JsonParser.parseString(Files.readString(WIRE.resolve(name + ".json"))),
        JsonParser.parseString(JSON.print(message)));
  }
}
