import { hash } from 'node:crypto';

interface RequestToSign {
  readonly method: string;
  readonly url: string;
  readonly body: Uint8Array;
  readonly region: string;
  /** Unix time in milliseconds. */
  readonly atMs: number;
}

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The headers of AWS Signature Version 4, which authenticate a request and protect it from changes. */
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
