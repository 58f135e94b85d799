import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FakeUpstream, type Script, type SeenRequest } from '../../src/testing/fake-upstream.ts';
import { startTestGateway } from '../../src/testing/test-gateway.ts';
import { objectOf, objectsOf, stringOf } from '../../src/wire/json-values.ts';
import { Person } from '../support/cloud.ts';
import { exampleModules } from '../support/example-modules.ts';
import { listening } from '../support/server.ts';
import type { Agent, AgentEnvironment } from './agents.ts';
import { faultIn, modelIn } from './checked-request.ts';
import { CompactingModel, estimatedTokens, longFiles } from './compacting.ts';
import { callingThroughGateway, finding, houseBehindGateway } from './finding.ts';
import { type AgentProcess, launchAgent } from './launch-agent.ts';
import { RestorationCheck, rule } from './restored.ts';
import { providerKeys, type Scenario, word } from './scenarios.ts';
import { answering, thinkingFirst } from './scripted-turns.ts';

export interface ScenarioResult {
  readonly passed: boolean;
  /** The line that matters, or what is wrong. */
  readonly saw: string;
  /** From start to end, and from the gateway's refusal until the person could read it. */
  readonly seconds: number;
  readonly refusalSeconds: number | undefined;
  readonly calls: number;
  /** What the provider got. */
  readonly requests: readonly SeenRequest[];
  readonly output: string;
}

const task = 'Read the file river.txt and say the word that is in it.';
const refusalSecondsMax = 5;
const houseServer = fileURLToPath(import.meta.resolve('./house-server.mjs'));
const launchesMax = 25;
const promptsMax = 4;

/** One agent through one scenario, with a gateway and a provider of its own. */
export async function runScenario(agent: Agent, folder: string, scenario: Scenario): Promise<ScenarioResult> {
  const faults: string[] = [];
  const root = mkdtempSync(join(tmpdir(), 'weir-agent-'));
  const [home, work] = [join(root, 'home'), join(root, 'work')];
  for (const made of [home, work]) mkdirSync(made);
  const file = join(work, 'river.txt');
  const model = scenario.model(agent);
  const others = [scenario.modelBefore, scenario.compacts === true ? agent.summaryModel : undefined];
  const models = [...(scenario.targets ?? [model]), ...others.filter((name) => name !== undefined)];
  let calls = 0;
  const compacting =
    scenario.compacts === true ? new CompactingModel(agent.compactsBetweenPrompts === true) : undefined;
  const restorations = new RestorationCheck();
  const provider = await FakeUpstream.start((request) => {
    const script = scriptFor(request);
    const thinks = modelIn(request) === nameAtProvider(scenario.modelBefore ?? '');
    return thinks ? thinkingFirst(request, script) : script;
  });
  function scriptFor(request: SeenRequest): Script {
    if (request.url.includes('count')) return { body: { input_tokens: estimatedTokens(request) } };
    const fault = faultIn(request, { models: models.map(nameAtProvider), keys: providerKeys });
    if (fault !== undefined) {
      faults.push(fault);
      return {
        status: 400,
        body: { type: 'error', error: { type: 'invalid_request_error', message: fault } },
      };
    }
    // The page of tool-cache says so.
    if (request.bytes.includes('readOnlyHint')) faults.push('the agent sends annotations of MCP tools');
    const tools = toolNames(request);
    const reading = agent.reading.find(({ tool }) => tools.includes(tool));
    if (compacting !== undefined) {
      const lost =
        scenario.restores === true && reading !== undefined && !compacting.asksForSummary(request)
          ? restorations.faultIn(request, compacting.compactions)
          : undefined;
      if (lost !== undefined) faults.push(lost);
      return compacting.answer(
        request,
        reading && ((name) => ({ tool: reading.tool, input: reading.input(join(work, name)) })),
      );
    }
    // Titles and the like.
    if (reading === undefined) return answering(request, { text: 'Rivers' });
    const failure = scenario.failing?.(request, calls++);
    if (failure !== undefined) return failure;
    const results = resultsIn(request);
    const find = scenario.manyTools === true ? finding : scenario.endpoint && callingThroughGateway;
    const found = find?.(request, results);
    if (found !== undefined && 'fault' in found) {
      faults.push(found.fault);
      return answering(request, { text: found.fault });
    }
    if (found !== undefined) return answering(request, found);
    const looks = tools.includes(clock) || scenario.endpoint ? 1 : scenario.manyTools === true ? 2 : 0;
    if (mentions(request, clock) === 1) return answering(request, { tool: clock, input: {} });
    if (scenario.repeatsCalls === true && results === 2 && !request.bytes.includes('[Same result as'))
      faults.push('the content was sent twice');
    if (results >= looks && results < looks + (scenario.reads ?? 1))
      return answering(request, {
        tool: reading.tool,
        input: reading.input(file),
        ...(scenario.repeatsCalls === true && results === 0 && { times: 2 }),
      });
    const { placeholder: shown = word } = scenario;
    if (shown !== word && request.bytes.includes(word)) faults.push('the provider got the word');
    const isRead = request.bytes.includes(shown);
    return answering(request, { text: isRead ? `The word is ${shown}.` : 'The file was not to be read.' });
  }
  const examples = exampleModules(...(scenario.examples ?? []));
  const weir = await startTestGateway({
    WEIR_MODULES: examples.setting,
    WEIR_ANTHROPIC_BASE_URL: provider.url,
    WEIR_OPENAI_BASE_URL: `${provider.url}/v1`,
    WEIR_LMSTUDIO_BASE_URL: `${provider.url}/v1`,
    WEIR_GEMINI_BASE_URL: provider.url,
    ...(scenario.endpoint && {
      WEIR_MCP_SERVERS: JSON.stringify({
        [houseBehindGateway]: { command: process.execPath, args: [houseServer] },
      }),
    }),
    ...scenario.environment,
  });
  const refusals = await watchFor(scenario.refusal, weir.url);
  try {
    const token = scenario.cloud === true ? await accountKey(weir.url) : 'any-token';
    const server = scenario.manyTools === true ? [process.execPath, houseServer] : undefined;
    const endpoint = scenario.endpoint && `${weir.url}/mcp`;
    const { headers = {}, webSocket: usesWebSocket } = scenario;
    const compacts = scenario.compacts === true;
    const compactsLocally = scenario.compactsLocally === true;
    const place = {
      ...{ url: refusals.url, token, model, home, work, headers, server, endpoint, usesWebSocket },
      ...{ compacts, compactsLocally },
    };
    const lines = scenario.isLong === true ? 'The river flows on.\n'.repeat(100) : '';
    const files = { [file]: `${word}\n${lines}`, ...(compacts && inFolder(work, longFiles)) };
    const launch = (differs: Partial<AgentEnvironment> = {}, prompt = task) =>
      launchAgent({ agent, folder, place: { ...place, ...differs }, prompt, files, timeoutMs: 90_000 });
    const restores = scenario.restores === true;
    const isBegun = scenario.modelBefore !== undefined || (restores && agent.continues === true);
    if (restores && isBegun) await launch({}, `Say hello. ${rule}`);
    if (scenario.modelBefore !== undefined) await launch({ model: scenario.modelBefore });
    const compactsLater = compacts && agent.compactsBetweenPrompts === true;
    let run = await launch({ continues: isBegun }, restores && !isBegun ? `${task} ${rule}` : task);
    // Vectors of the agent's tools are made after a call.
    const launches = scenario.manyTools === true ? launchesMax : compactsLater ? promptsMax : 1;
    for (let more = launches - 1; more > 0; more--) {
      if (faults.length > 0 || seenAt(run, scenario.sees) !== undefined) break;
      run = await launch({ continues: compactsLater });
    }
    return judged(run, {
      scenario,
      refusedAtMs: refusals.firstAtMs(),
      faults,
      requests: provider.requests,
      statuses: refusals.statuses,
    });
  } finally {
    refusals.stop();
    await weir.close();
    await provider.close();
    examples.remove();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

function nameAtProvider(model: string): string {
  return model.replace(/^lmstudio\//, '');
}

function inFolder(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
}

async function accountKey(url: string): Promise<string> {
  const person = await Person.signUp(url);
  for (const [name, key] of [
    ['anthropic', 'sk-ant-tests'],
    ['openai', 'sk-tests'],
  ])
    await person.call({ path: `/v1/byok/${name}`, method: 'PUT', body: { key } });
  return (await person.makeKey()).key;
}

function toolNames({ json }: SeenRequest): readonly (string | undefined)[] {
  const tools = objectsOf(json.tools).flatMap((tool) => objectsOf(tool.functionDeclarations ?? [tool]));
  return tools.map((tool) => stringOf(tool.name) ?? stringOf(objectOf(tool.function)?.name));
}

/** The tool of an example, which only the gateway answers: once where it is offered, and more often when it was called. */
const clock = 'current_time';

function mentions({ bytes }: SeenRequest, name: string): number {
  return bytes.toString().split(`"${name}"`).length - 1;
}

function resultsIn({ bytes }: SeenRequest): number {
  return (
    bytes.toString().match(/"tool_result"|"role":"tool"|"function_call_output"|"functionResponse"/g)
      ?.length ?? 0
  );
}

interface Judging {
  readonly scenario: Scenario;
  /** When the gateway first refused a call. */
  readonly refusedAtMs: number | undefined;
  readonly faults: readonly string[];
  readonly requests: readonly SeenRequest[];
  /** The statuses of the gateway's responses. */
  readonly statuses: ReadonlySet<string>;
}

function judged(
  run: AgentProcess,
  { scenario, refusedAtMs, faults, requests, statuses }: Judging,
): ScenarioResult {
  const output = run.lines.map(({ text }) => text).join('');
  const seconds = (run.endedAtMs - run.startedAtMs) / 1000;
  const seenAtMs = seenAt(run, scenario.sees);
  const refusalSeconds =
    refusedAtMs === undefined || seenAtMs === undefined ? undefined : (seenAtMs - refusedAtMs) / 1000;
  const wrong = wrongWith();
  return {
    passed: wrong === undefined,
    saw: wrong ?? lineWith(output, scenario.sees),
    seconds,
    refusalSeconds,
    calls: requests.length,
    requests,
    output,
  };

  function wrongWith(): string | undefined {
    if (faults.length > 0) return `the provider refused a request: ${faults[0]}`;
    if (seenAtMs === undefined)
      return `${run.timedOut ? 'hung, and ' : ''}showed: ${output.trim().slice(-200) || 'nothing'}`;
    if (scenario.webSocket === true && (statuses.has('200') || !statuses.has('101')))
      return `not over a WebSocket alone: ${[...statuses].join(', ')}`;
    if (scenario.refusal !== undefined && refusedAtMs === undefined)
      return `nothing was refused with ${scenario.refusal}`;
    if (refusalSeconds !== undefined && refusalSeconds > refusalSecondsMax)
      return `read only after ${refusalSeconds.toFixed(1)} s`;
    return run.timedOut ? 'said it, and hung' : undefined;
  }
}

function seenAt({ lines }: AgentProcess, sees: RegExp): number | undefined {
  let text = '';
  for (const line of lines) {
    text += line.text;
    if (sees.test(text)) return line.atMs;
  }
  return undefined;
}

function lineWith(output: string, sees: RegExp): string {
  const { index = 0 } = sees.exec(output) ?? {};
  const start = output.lastIndexOf('\n', index) + 1;
  const end = output.indexOf('\n', index);
  return output.slice(start, end < 0 ? undefined : end).trim();
}

/** Stands in front of the gateway, and sees when it first answers with this status. */
async function watchFor(status: number | undefined, url: string) {
  let atMs: number | undefined;
  const statuses = new Set<string>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const gateway = connect(Number(new URL(url).port), '127.0.0.1');
    for (const one of [client, gateway]) sockets.add(one.on('error', () => undefined));
    gateway.on('data', (bytes) => {
      const [, seen] = /^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1', 0, 12)) ?? [];
      if (seen === undefined) return;
      statuses.add(seen);
      if (seen === String(status)) atMs ??= Date.now();
    });
    client.pipe(gateway).pipe(client);
  });
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: await listening(server), firstAtMs: () => atMs, statuses, stop };
}
