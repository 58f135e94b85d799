import { SettingsError } from '../gateway/settings.ts';
import { GatewayError } from '../kernel/errors.ts';

/** Why something could not be started, in words for whoever started it. */
export function explainError(thrown: unknown): string {
  if (thrown instanceof SettingsError) return thrown.faults.join('\nweir: ');
  if (GatewayError.is(thrown)) return `WEIR_PIPELINE: ${thrown.message}`;
  if (!(thrown instanceof Error)) return String(thrown);
  const code = 'code' in thrown ? thrown.code : undefined;
  if (code === 'EADDRINUSE')
    return `the port is taken by another program (${thrown.message}); stop it, or set PORT`;
  const isOfFile = 'path' in thrown;
  if (!isOfFile && (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND'))
    return `can't listen there (${thrown.message}); see HOST and PORT`;
  return thrown.message;
}
