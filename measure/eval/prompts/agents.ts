import type { SeenRequest } from '../../../src/testing/fake-upstream.ts';
import { wireByName } from '../../../src/wire/index.ts';
import { agents } from '../../../test/agents/agents.ts';
import { runScenario } from '../../../test/agents/run-scenario.ts';
import { type Scenario, scenarios } from '../../../test/agents/scenarios.ts';
import { installPackage } from '../../../test/support/install-package.ts';
import { type Provider, providers } from '../memory/simulated.ts';
import type { TimedRequest } from '../memory/traces.ts';
import type { EvalTraffic } from './traffic.ts';

/** Some agents end a loop after five calls that are the same. */
const reads = 4;
const secondsBetweenCalls = 5;
const formats: readonly {
  readonly path: RegExp;
  readonly wire: string;
  readonly provider: Provider['name'];
}[] = [
  { path: /\/messages/, wire: 'anthropic-messages', provider: 'anthropic' },
  { path: /\/chat\/completions/, wire: 'openai-chat', provider: 'openai' },
  { path: /\/responses/, wire: 'openai-responses', provider: 'openai' },
];

/** What providers get from real agents that read a file again and again, without the module; a long file with `isLong`. */
export async function* agentTraffic(folder: string, changes: Pick<Scenario, 'isLong'> = {}) {
  for (const agent of agents) {
    const installed = await installPackage({ name: agent.package, version: agent.version }, folder);
    for (const scenario of scenarios.filter(({ name }) => name === 'native' || name === 'cross')) {
      const { passed, requests } = await runScenario(agent, installed, {
        ...scenario,
        ...changes,
        reads,
      } satisfies Scenario);
      const recorded = passed ? recordedIn(requests) : undefined;
      if (recorded === undefined) continue;
      const name = `${agent.name} ${agent.version}, ${scenario.model(agent)}, ${recorded.calls.length} calls`;
      const traffic: EvalTraffic = { name, calls: recorded.calls };
      yield { traffic, provider: recorded.provider };
    }
  }
}

/** Undefined if the provider's cache can't be simulated. */
function recordedIn(requests: readonly SeenRequest[]) {
  const format = formats.find(({ path }) => requests.some(({ url }) => path.test(url)));
  const provider = providers.find(({ name }) => name === format?.provider);
  const decode = wireByName(format?.wire ?? '')?.decodeRequest;
  if (format === undefined || provider === undefined || decode === undefined) return undefined;
  const calls: readonly TimedRequest[] = requests
    .filter(({ url }) => format.path.test(url) && !url.includes('count'))
    .map(({ json }, at) => ({ request: decode({ ...json }), atSeconds: at * secondsBetweenCalls }));
  return { provider, calls };
}
