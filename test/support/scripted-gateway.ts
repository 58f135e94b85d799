import type { RequestListener } from 'node:http';
import { after, type TestContext } from 'node:test';
import type { Environment } from '../../src/gateway/settings.ts';
import { FakeUpstream } from '../../src/testing/fake-upstream.ts';
import { startTestGateway, type TestGateway } from '../../src/testing/test-gateway.ts';
import { startListener } from './server.ts';

/** What the operator pays the providers with. */
export const anthropicKey = 'sk-ant-api03-the-operators-own';
export const openaiKey = 'sk-proj-the-operators-own';
export const geminiKey = 'AIza-the-operators-own';

/** A gateway in front of one address that stands for every provider. Ends with its test. */
export async function startGatewayFor(
  t: TestContext,
  upstream: string,
  more: Environment = {},
): Promise<TestGateway> {
  const gateway = await startGatewayBefore(upstream, more);
  t.after(() => gateway.close());
  return gateway;
}

/** A gateway with a scripted provider behind it. */
export interface ScriptedGateway {
  readonly fake: FakeUpstream;
  readonly weir: TestGateway;
}

/** Starts one that ends with its test. */
export async function startScriptedGateway(t: TestContext, more: Environment = {}): Promise<ScriptedGateway> {
  const fake = await FakeUpstream.start();
  t.after(() => fake.close());
  return { fake, weir: await startGatewayFor(t, fake.url, more) };
}

/** One house for each settings, for all tests of a file that need none of their own; whoever enters finds the provider as new. */
export function shareScriptedGateways(): (more?: Environment) => Promise<ScriptedGateway> {
  const house = shared(async (more) => {
    const fake = await FakeUpstream.start();
    const weir = await startGatewayBefore(fake.url, more);
    return { fake, weir, close: () => weir.close().then(() => fake.close()) };
  });
  return async (more = {}) => {
    const entered = await house(more);
    entered.fake.requests.length = 0;
    entered.fake.answerWith({ body: {} });
    return entered;
  };
}

/** The same with a provider that is played by hand, each time by who enters. */
export function shareGatewaysWithHandler(): (
  serve: RequestListener,
  more?: Environment,
) => Promise<TestGateway> {
  const house = shared(async (more) => {
    const player: { serve: RequestListener } = { serve: (_, res) => void res.end() };
    const { url, close: leave } = await startListener((req, res) => player.serve(req, res));
    const weir = await startGatewayBefore(url, more);
    return { player, weir, close: () => weir.close().then(leave) };
  });
  return async (serve, more = {}) => {
    const { player, weir } = await house(more);
    player.serve = serve;
    return weir;
  };
}

function shared<House extends { close(): Promise<unknown> }>(
  start: (more: Environment) => Promise<House>,
): (more: Environment) => Promise<House> {
  const houses = new Map<string, Promise<House>>();
  after(async () => {
    for (const house of houses.values()) await (await house).close();
  });
  return (more) => {
    const settings = JSON.stringify(more);
    const house = houses.get(settings) ?? start(more);
    houses.set(settings, house);
    return house;
  };
}

/** The same without an end. */
export function startGatewayBefore(upstream: string, more: Environment): Promise<TestGateway> {
  return startTestGateway({
    WEIR_ANTHROPIC_BASE_URL: upstream,
    WEIR_OPENAI_BASE_URL: `${upstream}/v1`,
    WEIR_GEMINI_BASE_URL: upstream,
    ANTHROPIC_API_KEY: anthropicKey,
    OPENAI_API_KEY: openaiKey,
    GEMINI_API_KEY: geminiKey,
    ...more,
  });
}
