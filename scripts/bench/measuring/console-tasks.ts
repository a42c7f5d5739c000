import type { Page } from 'playwright-core';

/** Tasks, calls and rows of a page while events arrived. */
export interface PageLoad {
  /** The longest tasks in milliseconds, longest first; browsers report those over 50 ms. */
  readonly tasks: readonly number[];
  /** Calls of the admin API that the page made. */
  readonly requests: number;
  /** The most rows of a list in the page. */
  readonly rows: number;
}

/** Watches a page until `stop`. */
export async function watchTasks(page: Page): Promise<{ stop(): Promise<PageLoad> }> {
  let requests = 0;
  const count = (request: { url(): string }): void => {
    if (request.url().includes('/admin/v1/') && !request.url().endsWith('/events')) requests++;
  };
  page.on('request', count);
  // As text: the functions of a page are not those of this process.
  await page.evaluate(`(() => {
    const watch = { tasks: [], rows: 0 };
    globalThis.watch = watch;
    watch.observer = new PerformanceObserver((list) => watch.tasks.push(...list.getEntries().map(({ duration }) => duration)));
    watch.observer.observe({ type: 'longtask' });
    watch.timer = setInterval(() => { watch.rows = Math.max(watch.rows, document.querySelectorAll('[role="option"]').length); }, 100);
  })()`);
  return {
    async stop() {
      page.off('request', count);
      const { tasks, rows } = (await page.evaluate(`(() => {
        const { tasks, rows, observer, timer } = globalThis.watch;
        tasks.push(...observer.takeRecords().map(({ duration }) => duration));
        observer.disconnect();
        clearInterval(timer);
        return { tasks, rows };
      })()`)) as { tasks: number[]; rows: number };
      return { tasks: tasks.sort((a, b) => b - a), rows, requests };
    },
  };
}
