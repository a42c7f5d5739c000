/**
 * What the work comes to, or undefined when that takes longer. By real time: a request is answered also where the clock of the platform
 * is held, and the work that it waits for with it.
 */
export async function answeredWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let limit: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    limit = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(limit);
  }
}
