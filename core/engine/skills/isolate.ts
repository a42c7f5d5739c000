import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';

/** Node has it, but its types come with those of a browser only. */
const { Memory, compile } = (globalThis as unknown as { WebAssembly: WebAssemblyParts }).WebAssembly;

interface WebAssemblyParts {
  readonly Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  compile(bytes: Uint8Array): Promise<object>;
}

let compiled: Promise<object> | undefined;

/** The interpreter's machine code, made once per thread: that takes five times as long as starting it. */
const interpreter = (): Promise<object> =>
  (compiled ??= readFile(fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))).then((bytes) => compile(bytes)));

const PAGE_BYTES = 64 * 1024;
/** What the interpreter itself was built to begin with. */
const INITIAL_PAGES = 256;
const STACK_BYTES = 256 * 1024;

/**
 * An interpreter with a limit in time and memory, for one run. It is not freed piece by piece: its memory goes as a whole,
 * with the last reference to it.
 */
export interface Isolate {
  readonly context: QuickJSContext;
  /** Ends what runs in it, wherever that is and whatever it catches. */
  interrupt(): void;
  readonly isOver: () => boolean;
  /** Whether it has asked for more memory than it had at first. */
  readonly hasGrown: () => boolean;
}

/**
 * Opens an interpreter. Its memory is a WebAssembly memory that cannot grow over the limit: the limit of the interpreter's
 * own is of no use, as it counts the overhead of small allocations but not their size.
 */
export async function openIsolate({ limitMs, limitBytes }: { limitMs: number; limitBytes: number }): Promise<Isolate> {
  const wasmMemory = new Memory({ initial: INITIAL_PAGES, maximum: Math.max(INITIAL_PAGES, Math.floor(limitBytes / PAGE_BYTES)) });
  // The package types its default export as a module of another kind than the one Node loads.
  const release = variant as unknown as QuickJSSyncVariant;
  const quickjs = await newQuickJSWASMModuleFromVariant(
    newVariant(release, { wasmMemory: wasmMemory as never, wasmModule: (await interpreter()) as never }),
  );
  const runtime = quickjs.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const deadline = performance.now() + limitMs;
  let isInterrupted = false;
  const isOver = (): boolean => performance.now() > deadline;
  runtime.setInterruptHandler(() => isInterrupted || isOver());
  const context = runtime.newContext();
  return {
    context,
    interrupt() {
      isInterrupted = true;
    },
    isOver,
    hasGrown: () => wasmMemory.buffer.byteLength > INITIAL_PAGES * PAGE_BYTES,
  };
}

/** Calls of the host that a guest may make: a function of one text. */
export function hostFunction(context: QuickJSContext, name: string, run: (text: string) => string | undefined): QuickJSHandle {
  return context.newFunction(name, (given) => {
    const answer = run(given ? context.getString(given) : '');
    return answer === undefined ? context.undefined : context.newString(answer);
  });
}
