import type { RequestListener } from 'node:http';
import { after, beforeEach, type TestContext } from 'node:test';
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

/** One gateway for each set of settings, shared by all tests of a file that need none of their own. Each test gets the provider without requests and answers of others. */
export function shareScriptedGateways(): (more?: Environment) => Promise<ScriptedGateway> {
  const gatewayWith = shared(async (more) => {
    const fake = await FakeUpstream.start();
    const weir = await startGatewayBefore(fake.url, more);
    return { fake, weir, close: () => weir.close().then(() => fake.close()) };
  });
  return async (more = {}) => {
    const gateway = await gatewayWith(more);
    gateway.fake.requests.length = 0;
    gateway.fake.answerWith({ body: {} });
    return gateway;
  };
}

/** The same with a provider that each test answers for with a handler of its own. */
export function shareGatewaysWithHandler(): (
  serve: RequestListener,
  more?: Environment,
) => Promise<TestGateway> {
  const gatewayWith = shared(async (more) => {
    const provider: { serve: RequestListener } = { serve: (_, res) => void res.end() };
    const { url, close: closeProvider } = await startListener((req, res) => provider.serve(req, res));
    const weir = await startGatewayBefore(url, more);
    return { provider, weir, close: () => weir.close().then(closeProvider) };
  });
  return async (serve, more = {}) => {
    const { provider, weir } = await gatewayWith(more);
    provider.serve = serve;
    return weir;
  };
}

function shared<Shared extends { close(): Promise<unknown> }>(
  start: (more: Environment) => Promise<Shared>,
): (more: Environment) => Promise<Shared> {
  const started = new Map<string, Promise<Shared>>();
  after(async () => {
    for (const one of started.values()) await (await one).close();
  });
  return (more) => {
    const settings = JSON.stringify(more);
    const one = started.get(settings) ?? start(more);
    started.set(settings, one);
    return one;
  };
}

/** A gateway and a scripted provider for all tests of a file; both end with it, and each test begins without requests. */
export async function startGatewayOfFile(more: Environment = {}): Promise<ScriptedGateway> {
  const fake = await FakeUpstream.start();
  const weir = await startTestGateway({ ...providersAt(fake.url), ...more });
  after(async () => {
    await weir.close();
    await fake.close();
  });
  beforeEach(() => {
    fake.requests.length = 0;
  });
  return { fake, weir };
}

/** Settings of providers that are all at one address, with keys that only tests use. */
function providersAt(url: string): Environment {
  return {
    WEIR_ANTHROPIC_BASE_URL: url,
    WEIR_OPENAI_BASE_URL: `${url}/v1`,
    WEIR_LMSTUDIO_BASE_URL: `${url}/v1`,
    WEIR_GEMINI_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-tests',
    OPENAI_API_KEY: 'sk-tests',
    GEMINI_API_KEY: 'AIza-tests',
  };
}

/** A gateway that the caller closes. */
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
