import packageJson from '../../package.json' with { type: 'json' };
import type { Environment } from '../gateway/settings.ts';
import { serve } from './serve.ts';

const usage = `weir ${packageJson.version}: a gateway in front of AI model providers

  weir serve      start the gateway (what happens without a command, too)
  weir reseal     seal all stored provider keys anew, after WEIR_SECRET was changed
  weir verify-receipt <file or address> [--keys <file or address>]
                  check the signature of a receipt, offline where both are files
  weir users list|create|disable|enable|set-tier|reset
                  accounts: list them, make one, close and open one, put one on a
                  tier, make a link to set a password; while the gateway runs
  weir keys list|revoke
                  API keys of an account
  weir billing reconcile [--repair] [--json]
                  compare tiers and credits with the payment processor's record
  weir --version  print the version
  weir --help     print this

Settings are environment variables, and .env in the current folder; the README lists them.`;

/** The command line; resolves to the exit code. */
export async function run(args: readonly string[], environment: Environment): Promise<number> {
  const [command = 'serve', ...rest] = args;
  if (command === '--help' || command === 'help') return say(usage);
  if (command === '--version') return say(packageJson.version);
  if (command === 'serve' && rest.length === 0) return serve(environment);
  if (command === 'reseal' && rest.length === 0)
    return (await import('./reseal-keys.ts')).resealKeys(environment);
  if (command === 'verify-receipt') return (await import('./verify-receipt.ts')).verifyReceipt(rest);
  if (command === 'users') return (await import('./users.ts')).users(rest, environment);
  if (command === 'keys') return (await import('./keys.ts')).keys(rest, environment);
  if (command === 'billing') return (await import('./billing.ts')).billing(rest, environment);
  console.error(`weir: "${args.join(' ')}" is not a command; "weir --help" lists them`);
  return 1;
}

function say(text: string): number {
  console.log(text);
  return 0;
}
