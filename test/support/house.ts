import type { TestContext } from 'node:test';
import type { Environment } from '../../src/gateway/settings.ts';
import { FakeUpstream } from '../../src/testing/fake-upstream.ts';
import { startTestGateway, type TestGateway } from '../../src/testing/test-gateway.ts';

/** What the operator pays the providers with. */
export const anthropicKey = 'sk-ant-api03-the-operators-own';
export const openaiKey = 'sk-proj-the-operators-own';

/** A gateway in front of one address that stands for every provider. Ends with its test. */
export async function startHouse(
  t: TestContext,
  upstream: string,
  more: Environment = {},
): Promise<TestGateway> {
  const gateway = await startTestGateway({
    WEIR_ANTHROPIC_BASE_URL: upstream,
    WEIR_OPENAI_BASE_URL: `${upstream}/v1`,
    ANTHROPIC_API_KEY: anthropicKey,
    OPENAI_API_KEY: openaiKey,
    ...more,
  });
  t.after(() => gateway.close());
  return gateway;
}

/** The same with a scripted provider behind it. */
export async function startScripted(
  t: TestContext,
  more: Environment = {},
): Promise<{ fake: FakeUpstream; weir: TestGateway }> {
  const fake = await FakeUpstream.start();
  t.after(() => fake.close());
  return { fake, weir: await startHouse(t, fake.url, more) };
}
