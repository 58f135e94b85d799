import type { ChildProcess } from 'node:child_process';

interface AllowedListener {
  readonly host: string;
  readonly port: number;
}

/**
 * Keeps a worker from using the primary process for more than its own port: Node.js lets workers listen on any address,
 * also on names, which it would look up, and with UDP.
 */
export function guardListening(child: ChildProcess, allowed: AllowedListener, onRefused: () => void): void {
  const { emit } = child;
  Object.assign(child, {
    emit(event: string, ...values: readonly unknown[]) {
      if (event === 'internalMessage' && !mayPass(values[0], allowed)) {
        onRefused();
        return true;
      }
      return Reflect.apply(emit, child, [event, ...values]);
    },
  });
}

function mayPass(message: unknown, { host, port }: AllowedListener): boolean {
  if (typeof message !== 'object' || message === null || Reflect.get(message, 'act') !== 'queryServer')
    return true;
  const { address, port: wanted, addressType, fd }: Record<string, unknown> = { ...message };
  if (addressType === -1) return true;
  const isFree = fd === undefined || fd === null || Number(fd) < 0;
  return isFree && (addressType === 4 || addressType === 6) && address === host && wanted === port;
}
