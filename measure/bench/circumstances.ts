import { availableParallelism, cpus } from 'node:os';

/** Under which circumstances figures were taken, in one line. */
export function about(portkey: string | undefined, rounds: number): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  return [
    `${processor}, ${availableParallelism()} cores`,
    `Node.js ${process.versions.node}`,
    portkey === undefined ? 'without Portkey' : `Portkey ${portkey}`,
    `${rounds} rounds`,
    new Date().toISOString().slice(0, 10),
  ].join(' · ');
}
