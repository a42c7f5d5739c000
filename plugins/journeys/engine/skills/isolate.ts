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

/** Typed here, because TypeScript declares WebAssembly only in the DOM library. */
const { Memory, compile } = (globalThis as unknown as { WebAssembly: WebAssemblyParts }).WebAssembly;

interface WebAssemblyParts {
  readonly Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  compile(bytes: Uint8Array): Promise<object>;
}

let compiled: Promise<object> | undefined;

/** The compiled interpreter, cached per thread: compiling takes five times as long as starting an instance. */
const interpreter = (): Promise<object> =>
  (compiled ??= readFile(fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))).then((bytes) => compile(bytes)));

const PAGE_BYTES = 64 * 1024;
/** The initial memory that the QuickJS build requires. */
const INITIAL_PAGES = 256;
const STACK_BYTES = 256 * 1024;

/**
 * An interpreter with a time and a memory limit, for one run. Handles need not be disposed: the garbage collector frees all of
 * the memory when nothing refers to the interpreter any more.
 */
export interface Isolate {
  readonly context: QuickJSContext;
  /** Stops the running code; it cannot catch this. */
  interrupt(): void;
  readonly isOver: () => boolean;
  /** Whether the memory has grown beyond its initial size. */
  readonly hasGrown: () => boolean;
}

/**
 * Opens an interpreter. The memory limit is the maximum of its WebAssembly memory. QuickJS's own limit (`setMemoryLimit`) does not
 * work: it counts the overhead of small allocations but not their size.
 */
export async function openIsolate({ limitMs, limitBytes }: { limitMs: number; limitBytes: number }): Promise<Isolate> {
  const wasmMemory = new Memory({ initial: INITIAL_PAGES, maximum: Math.max(INITIAL_PAGES, Math.floor(limitBytes / PAGE_BYTES)) });
  // The package's types describe its default export for another module system than Node's.
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

/** A function of the platform that a skill can call, with one text as its argument. */
export function hostFunction(context: QuickJSContext, name: string, run: (text: string) => string | undefined): QuickJSHandle {
  return context.newFunction(name, (given) => {
    const answer = run(given ? context.getString(given) : '');
    return answer === undefined ? context.undefined : context.newString(answer);
  });
}
