// Ten thousand calls of MCP tools, while servers and gateways are killed: npm run test:mcp-kills
import { runTestFiles } from './run-test-files.ts';

process.env.MCP_CALLS ??= '10000';
process.env.MCP_SERVER_KILLS ??= '200';
process.env.MCP_GATEWAY_KILLS ??= '10';
await runTestFiles(['test/mcp-kills.test.ts'], { timeout: 3_600_000 });
