/**
 * Every test file has a short form, and a long one, `npm test -- --long WORD`. The short form leaves out tests that take long and cases
 * that the code can hardly tell from their neighbours. `.ci/run` takes the short form of all files, and the long form of some that check
 * that nothing is lost.
 */
export const isLong: boolean = process.env.POSTHORN_TESTS === 'long';

/** The `skip` option of a test that only the long form has. A test without it must check the main thing. */
export const onlyLong: false | string = isLong ? false : 'only npm test -- --long WORD runs it';

/** The step of a loop over generated cases: 1 in the long form, and `every` in the short form. */
export const stride = (every: number): number => (isLong ? 1 : every);

/** All cases in the long form, and the first of each `every` neighbours in the short form. */
export const sampled = <T>(cases: readonly T[], every: number): readonly T[] => cases.filter((_, i) => i % stride(every) === 0);

/** The number of random cases of a property: all in the long form, and a tenth in the short form. */
export const runs = (count: number): number => Math.ceil(count / stride(10));
