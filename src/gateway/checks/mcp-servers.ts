import type { InstanceServers } from '../../mcp/servers/instance-servers.ts';
import type { ServerHealths } from '../../mcp/servers/server-health.ts';
import { type Check, degraded, passed } from '../../telemetry/diagnostics.ts';
import { limits } from '../limits.ts';

/** Servers of the operator whose last request failed, or whose tools have changed since they were first listed. */
export function mcpServersCheck(
  { servers }: InstanceServers,
  health: Pick<ServerHealths, 'instance'>,
): Check {
  return {
    name: 'mcp servers',
    run() {
      if (servers.size === 0) return passed('the operator has listed no MCP server');
      const seen = health.instance();
      const failing = seen.filter((entry) => entry.health.isFailing);
      if (failing.length > 0)
        return degraded(
          `the last request failed: ${namesOf(failing)}`,
          'POST /v1/mcp/servers/<name>/test says what is wrong',
        );
      const changed = seen.filter((entry) => entry.health.listChanges > 0);
      const note = changed.length === 0 ? '' : `; tools have changed since the start: ${namesOf(changed)}`;
      return passed(`${servers.size} listed, ${seen.length} used since the start${note}`);
    },
  };
}

function namesOf(entries: ReturnType<ServerHealths['instance']>): string {
  const names = entries.slice(0, limits.shownTargetsMax).map(({ server }) => server.name);
  return `${names.join(', ')}${entries.length > names.length ? ' and more' : ''}`;
}
