import { reseal } from '../accounts/reseal.ts';
import { Sealer } from '../accounts/sealer.ts';
import { openDatabase } from '../gateway/parts/stores.ts';
import { RootSecrets } from '../gateway/secrets.ts';
import type { Environment } from '../gateway/settings.ts';
import { resealAuthorizations } from '../mcp/authorization/reseal-authorizations.ts';
import { loadCommandSettings } from '../process/load-settings.ts';

/** Re-encrypts every stored provider key, and all authorizations at MCP servers, with the current secret, while the gateway runs; resolves to the exit code. */
export async function resealKeys(environment: Environment): Promise<number> {
  const settings = await loadCommandSettings(environment);
  const roots = new RootSecrets(settings);
  const sealerOf = (label: string) => new Sealer(roots.deriveKeys(label));
  const database = await openDatabase(settings);
  try {
    const { providerKeys } = database;
    const { resealed, unreadable } = await reseal({
      providerKeys,
      sealer: sealerOf('provider keys'),
      onProgress: (soFar) => console.log(`${soFar.resealed} so far`),
    });
    const authorizations = await resealAuthorizations({
      grants: database.mcpGrants,
      clients: database.mcpClients,
      sealers: { tokens: sealerOf('mcp tokens'), clients: sealerOf('mcp clients') },
    });
    console.log(`${formatCount(authorizations.resealed, 'authorization')} at MCP servers re-encrypted`);
    console.log(
      `${formatCount(resealed, 'key')} re-encrypted; WEIR_SECRET_PREVIOUS is no longer needed for provider keys`,
    );
    if (unreadable + authorizations.unreadable === 0) return 0;
    for (const [count, thing] of [
      [unreadable, 'key'],
      [authorizations.unreadable, 'authorization'],
    ] as const)
      if (count > 0)
        console.error(
          `weir: ${formatCount(count, thing)} cannot be decrypted with WEIR_SECRET or WEIR_SECRET_PREVIOUS`,
        );
    return 1;
  } finally {
    await database.close();
  }
}

function formatCount(count: number, thing: string): string {
  return count === 1 ? `1 ${thing}` : `${count} ${thing}s`;
}
