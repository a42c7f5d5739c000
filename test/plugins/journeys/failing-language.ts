import { blockType, type JourneyLanguage } from '#engine';

const failing = blockType({
  ...{ type: 'failing.check', word: 'failing', summary: 'Cannot be checked.', settings: {} },
  enter: () => ({ kind: 'continue' }),
  check() {
    throw new Error('out of order');
  },
});

const picking = blockType({
  ...{ type: 'failing.picks', word: 'picking', summary: 'Cannot name its exits.', settings: {} },
  enter: () => ({ kind: 'continue' }),
  picks: () => {
    throw new Error('no exits');
  },
});

const later = blockType({
  ...{ type: 'failing.later', word: 'later', summary: 'Checks too late.', settings: {} },
  enter: () => ({ kind: 'continue' }),
  check: (async () => {
    throw new Error('too late');
  }) as never,
});

export default { blocks: [failing, picking, later] } satisfies JourneyLanguage;
