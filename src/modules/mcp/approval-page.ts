import type { ModulePage } from '../../module-api.ts';

/** The page on which a person approves changed definitions of tools. */
export const approvalPage: ModulePage = {
  title: 'Changed tools',
  description:
    'MCP servers have changed the definitions of these tools. The module mcp withholds them until a person approves the change, because a server could change what a tool does after it was trusted.',
  list: {
    path: '/v1/modules/mcp/held-tools',
    rows: 'tools',
    key: 'tool',
    columns: [
      { field: 'tool', title: 'Tool' },
      { field: 'server', title: 'Server', format: 'badge' },
      { field: 'since', title: 'Changed', format: 'time' },
    ],
    empty: 'No tool has changed since it was first used.',
  },
  detail: [
    { field: 'description_before', title: 'Description before' },
    { field: 'description', title: 'Description now' },
    { field: 'digest', title: 'Digest of the definition' },
  ],
  actions: [
    {
      title: 'Approve',
      method: 'POST',
      path: '/v1/modules/mcp/held-tools/:tool/:digest',
      confirm: 'Use this tool with its changed definition?',
    },
  ],
};
