import { Conflict, definePlugin, Forbidden, InvalidRequest, NotFound, object, PlatformError, route, string, Unavailable } from 'posthorn';

/** A plugin whose route throws an error for everything that keeps a loan from being renewed. */
export const renewals = definePlugin({
  name: 'renewals',
  version: '1.0.0',
  register: () => ({
    routes: [
      route({
        method: 'POST',
        path: '/v1/renewals/{book}',
        summary: 'Renews a loan.',
        request: { params: object({ book: string() }) },
        responses: { 200: object({ due: string() }) },
        async handler({ params: { book } }) {
          if (book === 'missing') throw new NotFound('book', book);
          if (book === 'reserved') throw new Conflict('book_reserved', 'Another reader has reserved this book');
          if (book === 'foreign') throw new Forbidden('This book belongs to another branch');
          if (book === 'misspelt') throw new InvalidRequest([{ path: ['book'], rule: 'any.invalid', message: 'book is not a shelf mark' }]);
          if (book === 'offline') throw new Unavailable('The catalogue does not answer', 30);
          if (book === 'paid') throw new PlatformError(409, 'fee_open', 'The fee of 2.50 has to be paid first');
          if (book === 'broken') throw new Error('the catalogue sent HTML');
          return { due: '2026-01-12' };
        },
      }),
    ],
  }),
});
