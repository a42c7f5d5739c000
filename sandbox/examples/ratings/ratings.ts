/** A plugin with an API area: it stores documents, has routes, emits an event, listens to another, and uses worker threads. */
import type { TypeOf } from 'posthorn';
import { array, collection, definePlugin, event, integer, messageReceived, number, object, on, route, string, task } from 'posthorn';

const ratingSchema = object({ uuid: string(), number: string(), contact: string(), stars: integer().min(1).max(5) });
type Rating = TypeOf<typeof ratingSchema>;
const ratings = collection<Rating>({ key: 'uuid', tenant: { number: 'number' }, indexes: { number: ['number'] } });
export const ratingGiven = event<Rating>('rating.given', 'A contact has rated the service.');
const average = task<readonly number[], number>('ratings.average', new URL('./average.task.js', import.meta.url));

export const ratingsArea = definePlugin({
  name: 'ratings',
  version: '0.1.0',
  collections: { ratings },
  emits: [ratingGiven],
  tasks: [average],

  register({ store, workers, ids }) {
    const give = (number: string, contact: string, stars: number): Promise<Rating> =>
      store.transaction((tx) => {
        const rating = { uuid: ids.uuid(), number, contact, stars };
        tx.in(ratings).put(rating);
        tx.emit(ratingGiven, rating); // listeners are notified only if the transaction commits
        return rating;
      });
    /** A message that consists of 1 to 5 stars is a rating. */
    const received = on(messageReceived, async ({ number, contact, message }) => {
      const stars = /^\*{1,5}$/.exec((message.content.text as { body?: string } | undefined)?.body ?? '')?.[0].length;
      if (stars) await give(number.uuid, contact.uuid, stars);
    });
    const post = route({
      method: 'POST',
      path: '/v1/ratings',
      summary: 'Records a rating from your own page.',
      request: { payload: object({ contact: string(), stars: integer().min(1).max(5) }) },
      responses: { 201: ratingSchema },
      handler: async ({ payload: { contact, stars }, caller: { number } }, h) =>
        h.response(await give(number.uuid, contact, stars)).code(201),
    });
    const show = route({
      method: 'GET',
      path: '/ratings/{number}',
      summary: 'Shows the ratings of a number and their average.',
      request: { params: object({ number: string() }) },
      responses: { 200: object({ ratings: array(ratingSchema) }, { average: number() }) },
      async handler({ params: { number } }) {
        const given = await store.open(ratings).find('number', { equals: [number] });
        const stars = given.map((rating) => rating.stars);
        return { ratings: given, ...(stars.length > 0 && { average: await workers.run(average, stars) }) };
      },
    });
    return { routes: [post], admin: [show], on: [received] };
  },
});
