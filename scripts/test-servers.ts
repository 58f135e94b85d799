// What the tests need besides Node.js: from the environment, from this machine's programs, or installed.

import { chromium } from './test-servers/chromium.ts';
import { installOnDebian, isRootOnDebian } from './test-servers/debian.ts';
import { postgres } from './test-servers/postgres.ts';
import { redis } from './test-servers/redis.ts';
import type { Requirement, Started } from './test-servers/requirement.ts';

const everything: readonly Requirement[] = [postgres, redis, chromium];

interface TestServers {
  /** The variables by which tests find them. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Rejects with one line that says what to install where something is missing. */
export async function bringUp(
  environment: NodeJS.ProcessEnv,
  requirements = everything,
): Promise<TestServers> {
  const wanted = requirements.filter(({ variable }) => !environment[variable]);
  const missing = wanted.filter(({ find }) => find() === undefined);
  if (missing.length > 0 && isRootOnDebian()) installOnDebian(missing.map(({ packageName }) => packageName));
  const outcomes = await Promise.allSettled(wanted.map(start));
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failures.length > 0) {
    await stop();
    throw new Error(
      failures.map((failure) => (failure instanceof Error ? failure.message : failure)).join('\n'),
    );
  }
  return { environment: Object.fromEntries(started.map(({ variable, value }) => [variable, value])), stop };
}

async function start(needed: Requirement): Promise<Started & { readonly variable: string }> {
  const program = needed.find();
  if (program === undefined)
    throw new Error(
      `the tests need ${needed.title}: install it (${needed.packageName} on Debian), or set ${needed.variable}`,
    );
  return { ...(await needed.start(program)), variable: needed.variable };
}
