import { SettingsError } from '../gateway/settings.ts';
import { type ErrorCode, GatewayError } from '../kernel/errors.ts';

/** Explains to the operator why the gateway could not start, or a command failed. */
export function explainError(thrown: unknown): string {
  if (thrown instanceof SettingsError) return thrown.faults.join('\nweir: ');
  if (GatewayError.is(thrown)) return `${isPipelineError(thrown) ? 'WEIR_PIPELINE: ' : ''}${thrown.message}`;
  if (!(thrown instanceof Error)) return String(thrown);
  const code = 'code' in thrown ? thrown.code : undefined;
  if (code === 'EADDRINUSE') return `another program uses the port (${thrown.message}); stop it, or set PORT`;
  const isFileError = 'path' in thrown;
  if (!isFileError && (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND'))
    return `cannot listen (${thrown.message}); check HOST and PORT`;
  return thrown.message;
}

const pipelineCodes: ReadonlySet<string> = new Set([
  'bad_pipeline',
  'unknown_module',
  'bad_module_option',
  'unknown_configuration',
] satisfies readonly ErrorCode[]);

function isPipelineError({ code }: GatewayError): boolean {
  return pipelineCodes.has(code);
}
