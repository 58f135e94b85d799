import type { SettingIssue } from '../../lib/settings.ts';
import type { ConfigurationFile } from './read-configuration-file.ts';
import type { FileNode } from './yaml-document.ts';

/** Where the file has a value with a fault: `weir.yaml:3:9: log.level`. */
export function positionIn(file: ConfigurationFile, { variable, path = [] }: SettingIssue): string {
  const value = file.values.get(variable);
  if (value === undefined) return variable;
  const names: PropertyKey[] = [value.at];
  let node: FileNode = value.node;
  for (const name of path) {
    const inner = innerNode(node, name);
    if (inner === undefined) break;
    node = inner;
    names.push(name);
  }
  return `${file.path}:${node.line}:${node.column}: ${names.map(String).join('.')}`;
}

function innerNode(node: FileNode, name: PropertyKey): FileNode | undefined {
  if (node.kind === 'map') return node.entries.find(({ key }) => key === name)?.value;
  return node.kind === 'list' ? node.items[Number(name)] : undefined;
}
