// Ends with 0 where the gateway on this machine answers: for containers, whose images have no curl.
const { HOST = '127.0.0.1', PORT = '3099' } = process.env;
const everywhere = ['0.0.0.0', '::'].includes(HOST);
const host = everywhere ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST;

try {
  const { status } = await fetch(`http://${host}:${PORT}/health`, { signal: AbortSignal.timeout(4000) });
  process.exitCode = status === 200 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? (error.cause ?? error) : error);
  process.exitCode = 1;
}
