/** The behaviour that the contract tests of the worker port request of the test task. */
export type Order =
  | { readonly kind: 'return'; readonly value: unknown }
  | { readonly kind: 'return later'; readonly value: unknown; readonly ms: number }
  | { readonly kind: 'describe'; readonly value: unknown }
  | { readonly kind: 'change'; readonly value: { changed?: boolean } }
  | { readonly kind: 'sum'; readonly bytes: Uint8Array }
  | { readonly kind: 'throw'; readonly message: string }
  | { readonly kind: 'throw text'; readonly message: string }
  | { readonly kind: 'reject'; readonly message: string }
  | { readonly kind: 'return a function' }
  | { readonly kind: 'never end' }
  | { readonly kind: 'exit' }
  | { readonly kind: 'loop' }
  | { readonly kind: 'eat memory' }
  | { readonly kind: 'crash later' };

export default function obey(order: Order): unknown {
  switch (order.kind) {
    case 'return':
      return order.value;
    case 'return later':
      return new Promise((resolve) => setTimeout(resolve, order.ms, order.value));
    case 'describe':
      return Object.prototype.toString.call(order.value) + (order.value as object).constructor.name;
    case 'change':
      order.value.changed = true;
      return order.value;
    case 'sum':
      return order.bytes.reduce((sum, byte) => sum + byte, 0);
    case 'throw':
      throw new RangeError(order.message);
    case 'throw text':
      throw order.message;
    case 'reject':
      return Promise.reject(new Error(order.message));
    case 'return a function':
      return () => {};
    case 'never end':
      return new Promise(() => {});
    case 'exit':
      return process.exit(3);
    case 'loop':
      for (;;);
    case 'eat memory': {
      const kept: unknown[] = [];
      for (;;) kept.push(new Array(10_000).fill({}));
    }
    case 'crash later':
      setTimeout(() => {
        throw new Error('left behind');
      }, 5);
      return 'for now all is well';
  }
}
