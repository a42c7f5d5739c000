/** The admin API costs its records and streams, so each platform under measurement has it. */
export const admin = { key: 'the-key-of-the-benchmarks' } as const;
