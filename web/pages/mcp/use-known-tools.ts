import { useQuery } from '@tanstack/react-query';
import { type McpServer, mcpServerTools } from '../../api/queries.ts';

/** The names of a server's tools; none if it fails. */
export function useKnownTools({ name, enabled, health }: McpServer): readonly string[] {
  const { data } = useQuery({ ...mcpServerTools(name), enabled: enabled && health.status !== 'failing' });
  return data?.tools.map((tool) => tool.name) ?? [];
}
