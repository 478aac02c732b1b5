// Plays any game at random without an SDK and without generated code: the messages come from the server's reflection.
//   PALIO_SERVER=localhost:7654 node bot.mjs [MATCHES]     with PALIO_TRACE=1 everything said is printed as JSON
import { credentials, loadPackageDefinition } from '@grpc/grpc-js';
import { fromJSON, loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';

const { PALIO_SERVER: server = 'localhost:7654', PALIO_TOKEN: token = '', PALIO_BOT_NAME: bot_name = 'no-sdk' } = process.env;
const limit = Number(process.argv[2] ?? 1);

// The one service that a client has to know in order to ask for all others.
const text = (id) => ({ type: 'string', id });
const reflection = {
  ServerReflection: { methods: { ServerReflectionInfo:
    { requestType: 'Ask', requestStream: true, responseType: 'Answer', responseStream: true } } },
  Ask: { fields: { fileByFilename: text(3), fileContainingSymbol: text(4) } },
  Answer: { fields: { files: { type: 'Files', id: 4 }, fault: { type: 'Fault', id: 7 } } },
  Files: { fields: { file: { rule: 'repeated', type: 'bytes', id: 1 } } },
  Fault: { fields: { code: { type: 'int32', id: 1 }, message: text(2) } },
};
const inPackage = (names, nested) => names.reduceRight((inner, name) => ({ nested: { [name]: inner } }), { nested });

// A message's length and bytes, as one more `file` of a google.protobuf.FileDescriptorSet.
function entry(bytes) {
  const head = [0x0a];
  let size = bytes.length;
  for (; size > 0x7f; size >>>= 7) head.push((size & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([...head, size]), bytes]);
}

// Asks for the files that define these symbols, and for all that those import.
async function definitions(symbols) {
  const { grpc } = loadPackageDefinition(fromJSON(inPackage(['grpc', 'reflection', 'v1alpha'], reflection)));
  const call = new grpc.reflection.v1alpha.ServerReflection(server, credentials.createInsecure()).ServerReflectionInfo();
  const files = new Map();
  const answers = call[Symbol.asyncIterator]();
  for (const symbol of symbols) {
    call.write({ fileContainingSymbol: symbol });
    const { value } = await answers.next();
    if (value.fault) throw new Error(`${symbol}: ${value.fault.message}`);
    for (const file of value.files.file) files.set(file.toString('latin1'), file);
  }
  call.end();
  return loadPackageDefinition(loadFileDescriptorSetFromBuffer(Buffer.concat([...files.values()].map(entry)),
    { longs: String, enums: String, oneofs: true })).palio.v1;
}

function fail({ code, details, message }) {
  console.error(details ? `status ${code}: ${details}` : message);
  process.exit(1);
}

const { PlayService } = await definitions(['palio.v1.PlayService']).catch(fail);
let stream, finished = 0;

function say(message) {
  if (process.env.PALIO_TRACE) console.log('> ' + JSON.stringify(message));
  stream.write(message);
}

function hear(update) {
  const { match_id, message } = update;
  if (process.env.PALIO_TRACE) console.log('< ' + JSON.stringify(update));
  if (message === 'ping') say({ pong: { nonce: update.ping.nonce } });
  if (message === 'match_started') say({ ready: { match_id } });
  if (message === 'decision' && update.decision.answered == null) {
    const { decision_id, options } = update.decision;
    say({ choose: { match_id, decision_id, option: Math.floor(Math.random() * options.length) } });
  }
  if (message === 'match_ended') {
    console.log(`${match_id}: ` + JSON.stringify(update.match_ended.result.seats));
    if (++finished === limit) say({ leave: {} });
  }
  if (message === 'goodbye') update.goodbye.address ? connect(update.goodbye.address) : stream.end();
}

function connect(address) {
  stream = new PlayService(address, credentials.createInsecure()).play();
  stream.on('error', fail).on('data', ({ updates }) => updates.forEach(hear));
  say({ hello: { token, bot_name, sdk: 'none', protocol_version: 1, max_concurrent_matches: 4 } });
}
connect(server);
