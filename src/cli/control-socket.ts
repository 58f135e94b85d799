import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { basename, join, relative, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { withTimeout } from '../kernel/with-timeout.ts';
import { inMemoryDataDir } from '../storage/settings.ts';

/** What a running process of the gateway does for commands, by name. */
export type ControlHandlers = Readonly<Record<string, (question: JsonObject) => object>>;

export interface ControlServer {
  close(): Promise<void>;
}

/**
 * A socket in the data folder, for its owner only, by which commands reach this process. Undefined where there can be none:
 * the gateway serves without it.
 */
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
  // Those of killed processes would stay for ever.
  void queryProcesses(dataDir, { ask: 'log-level' }, basename(path)).catch(() => undefined);
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
      }),
  };
}

/** Asks every process that runs on this data folder; those that are gone leave nothing but a name, which is removed. */
export async function queryProcesses(
  dataDir: string,
  question: JsonObject,
  besides?: string,
): Promise<readonly JsonObject[]> {
  const names = listNames(controlFolderOf(dataDir)).filter((name) => name !== besides);
  const answers = await Promise.all(
    names.map((name) => queryProcess(shortestPath(join(controlFolderOf(dataDir), name)), question)),
  );
  return answers.filter((found) => found !== undefined);
}

/** For commands that have nobody to talk to. */
export function notRunningError(dataDir: string): Error {
  return new Error(
    `no gateway is running on the data folder ${resolve(dataDir)}; run this where it runs, with its WEIR_DATA_DIR`,
  );
}

async function queryProcess(path: string, question: JsonObject): Promise<JsonObject | undefined> {
  const socket = connect(path);
  try {
    const answered = await withTimeout(
      exchangeJson(socket, question),
      limits.controlAnswerMs,
      () => new Error('a process of the gateway does not answer'),
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
  if (!isJsonObject(answered)) throw new Error('that is no gateway of this version');
  return answered;
}

async function handleConnection(socket: Socket, controls: ControlHandlers): Promise<void> {
  socket.on('error', () => undefined);
  try {
    const question: unknown = JSON.parse(await readToEnd(socket));
    if (!isJsonObject(question)) throw new Error('that is no question');
    const control = controls[String(question.ask)];
    if (control === undefined) throw new Error(`this version can't be asked for "${question.ask}"`);
    socket.end(JSON.stringify(control(question)));
  } catch (thrown) {
    socket.end(JSON.stringify({ fault: thrown instanceof Error ? thrown.message : String(thrown) }));
  }
}

/** To its end, and the other way stays open. */
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

/** The path of a socket has little more than a hundred characters. */
function shortestPath(path: string): string {
  const [absolute, fromHere] = [resolve(path), relative(process.cwd(), path)];
  return fromHere.length < absolute.length ? fromHere : absolute;
}
