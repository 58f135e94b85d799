import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Agent } from './agents.ts';

/** Installs an agent into a folder of its own, unless it is there already. */
export async function install(agent: Agent, into: string): Promise<string> {
  const folder = join(into, `${agent.command}-${agent.version}`);
  if (isThere(agent, folder)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const args = [
    'install',
    `${agent.package}@${agent.version}`,
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  await promisify(execFile)('npm', args, { cwd: folder });
  return folder;
}

function isThere(agent: Agent, folder: string): boolean {
  const manifest = join(folder, 'node_modules', agent.package, 'package.json');
  if (!existsSync(manifest) || !existsSync(join(folder, 'node_modules', '.bin', agent.command))) return false;
  return JSON.parse(readFileSync(manifest, 'utf8')).version === agent.version;
}
