import { hash } from 'node:crypto';

interface RequestToSign {
  readonly method: string;
  readonly url: string;
  readonly body: Uint8Array;
  readonly region: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The headers by which Amazon knows who makes a call, and that nobody changed it: Signature Version 4. */
export async function signHeaders(
  { method, url, body, region, atMs }: RequestToSign,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
): Promise<readonly string[]> {
  const { AwsV4Signer } = await import('aws4fetch');
  const signer = new AwsV4Signer({
    ...{ method, url, region, accessKeyId, secretAccessKey },
    headers: { 'x-amz-content-sha256': hash('sha256', body, 'hex') },
    ...(sessionToken !== undefined && { sessionToken }),
    service: 'bedrock',
    datetime: new Date(atMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const { headers } = await signer.sign();
  return [...headers].flat();
}
