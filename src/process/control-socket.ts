import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { basename, join, relative, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { permitted } from '../lib/permitted.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { inMemoryDataDir } from '../storage/settings.ts';
import { limits } from './limits.ts';

/** Handlers of a running gateway process for CLI commands, by name. */
export type ControlHandlers = Readonly<Record<string, (question: JsonObject) => object | Promise<object>>>;

export interface ControlServer {
  close(): Promise<void>;
}

/** Opens a socket in the data folder, for its owner only, for CLI commands. Undefined if that fails: the gateway runs without it. */
export async function openControlSocket(
  dataDir: string,
  controls: ControlHandlers,
): Promise<ControlServer | undefined> {
  if (dataDir === inMemoryDataDir) return undefined;
  const path = shortestPath(
    join(controlFolderOf(dataDir), `${process.pid}-${randomBytes(4).toString('hex')}`),
  );
  const server = createServer({ allowHalfOpen: true }, (socket) => void handleConnection(socket, controls));
  try {
    mkdirSync(controlFolderOf(dataDir), { recursive: true, mode: 0o700 });
    await listenOn(server, path);
  } catch {
    return undefined;
  }
  server.unref();
  // Removes sockets of killed processes. In an airgap, commands do that.
  if (permitted.network)
    void queryProcesses(dataDir, { ask: 'log-level' }, basename(path)).catch(() => undefined);
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
      }),
  };
}

/** Queries every gateway process on this data folder, and removes the sockets of dead ones. */
export async function queryProcesses(
  dataDir: string,
  question: JsonObject,
  besides?: string,
): Promise<readonly JsonObject[]> {
  const names = listNames(controlFolderOf(dataDir)).filter((name) => name !== besides);
  const answers = await Promise.all(
    names.map((name) => queryProcess(shortestPath(join(controlFolderOf(dataDir), name)), question)),
  );
  return answers.filter((answer) => answer !== undefined);
}

/** Tells one gateway process on this data folder; resolves to whether one has answered. */
export async function tellProcess(dataDir: string, message: JsonObject): Promise<boolean> {
  for (const name of listNames(controlFolderOf(dataDir))) {
    const path = shortestPath(join(controlFolderOf(dataDir), name));
    if ((await queryProcess(path, message).catch(() => undefined)) !== undefined) return true;
  }
  return false;
}

/** For commands that need a running gateway. */
export function notRunningError(dataDir: string): Error {
  return new Error(
    `no gateway is running on the data folder ${resolve(dataDir)}; run this command on its machine, with its WEIR_DATA_DIR`,
  );
}

async function queryProcess(path: string, question: JsonObject): Promise<JsonObject | undefined> {
  const socket = connect(path);
  try {
    const answered = await withTimeout(
      exchangeJson(socket, question),
      limits.controlAnswerMs,
      () => new Error('a gateway process does not respond'),
    );
    if (typeof answered.fault === 'string') throw new Error(answered.fault);
    return answered;
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code !== 'ECONNREFUSED' && code !== 'ENOENT') throw thrown;
    rmSync(path, { force: true });
    return undefined;
  } finally {
    socket.destroy();
  }
}

async function exchangeJson(socket: Socket, question: JsonObject): Promise<JsonObject> {
  socket.end(JSON.stringify(question));
  const answered: unknown = JSON.parse(await readToEnd(socket));
  if (!isJsonObject(answered)) throw new Error('the running gateway has an incompatible version');
  return answered;
}

async function handleConnection(socket: Socket, controls: ControlHandlers): Promise<void> {
  socket.on('error', () => undefined);
  try {
    const question: unknown = JSON.parse(await readToEnd(socket));
    if (!isJsonObject(question)) throw new Error('invalid command message');
    const control = controls[String(question.ask)];
    if (control === undefined) throw new Error(`this version does not support the command "${question.ask}"`);
    socket.end(JSON.stringify(await control(question)));
  } catch (thrown) {
    socket.end(JSON.stringify({ fault: thrown instanceof Error ? thrown.message : String(thrown) }));
  }
}

/** Reads to the end; the socket stays writable. */
function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  return new Promise((resolved, reject) => {
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    socket.on('end', () => resolved(text)).on('error', reject);
  });
}

function listenOn(server: Server, path: string): Promise<void> {
  return new Promise((resolved, reject) => {
    server.once('error', reject);
    server.listen(path, resolved);
  });
}

function controlFolderOf(dataDir: string): string {
  return join(dataDir, 'control');
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Socket paths are limited to about a hundred characters. */
function shortestPath(path: string): string {
  const [absolute, fromHere] = [resolve(path), relative(process.cwd(), path)];
  return fromHere.length < absolute.length ? fromHere : absolute;
}
