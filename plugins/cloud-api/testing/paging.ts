const DEFAULT_LIMIT = 25;

/** A page of items by `limit`, `after` and `before` of a query; cursors are opaque to clients. */
export function pageOf<T extends { readonly id: string }>(
  items: readonly T[],
  query: URLSearchParams,
  shown: (item: T) => unknown,
): { data: unknown[]; paging?: object } {
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
  const cursorOf = (item: T): string => Buffer.from(item.id).toString('base64url');
  const after = query.get('after');
  const before = query.get('before');
  const start = after === null ? 0 : items.findIndex((item) => cursorOf(item) === after) + 1;
  const end = before === null ? items.length : items.findIndex((item) => cursorOf(item) === before);
  const first = before === null ? start : Math.max(0, end - limit);
  const page = items.slice(first, Math.min(end, first + limit));
  const [head, tail] = [page[0], page.at(-1)];
  if (!head || !tail) return { data: [] };
  const hasMore = tail !== items.at(-1);
  return {
    data: page.map(shown),
    paging: { cursors: { before: cursorOf(head), after: cursorOf(tail) }, ...(hasMore && { next: `?after=${cursorOf(tail)}` }) },
  };
}
