// Shows how far a run is: one line that is rewritten in a terminal, and a line now and then elsewhere.

/** Between two lines, where the output is not a terminal. */
const PLAIN_EVERY_MS = 20_000;
const REDRAW_EVERY_MS = 200;
const CLEAR = '\r\u001b[K';

export class Progress {
  #stream;
  #now;
  #secondsOf;
  #atOnce;
  #total;
  #waiting;
  #running = new Map();
  /** Seconds of the suites that have ended: as recorded, and in this run. */
  #ended = { suites: 0, recorded: 0, actual: 0 };
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #timer;
  #isShown = false;

  /**
   * @param suites the names of the suites that will run
   * @param secondsOf returns what a suite took when it was recorded, which the machine of this run may do faster or slower
   */
  constructor(suites, { secondsOf, atOnce, stream = process.stdout, now = () => performance.now() }) {
    this.#now = now;
    this.#stream = stream;
    this.#secondsOf = secondsOf;
    this.#atOnce = atOnce;
    this.#total = suites.length;
    this.#waiting = new Set(suites);
    this.#timer = setInterval(() => this.#show(), stream.isTTY ? REDRAW_EVERY_MS : PLAIN_EVERY_MS);
  }

  started(suite) {
    this.#waiting.delete(suite);
    this.#running.set(suite, this.#now());
  }

  ended(suite) {
    this.#ended.suites++;
    this.#ended.recorded += this.#secondsOf(suite);
    this.#ended.actual += this.#secondsSince(this.#running.get(suite));
    this.#running.delete(suite);
  }

  counted(kind) {
    this.#counts[kind]++;
  }

  /** Prints lines above the progress. */
  print(text) {
    this.#stream.write(`${this.#isShown ? CLEAR : ''}${text}\n`);
    this.#isShown = false;
  }

  end() {
    clearInterval(this.#timer);
    if (this.#isShown) this.#stream.write(CLEAR);
  }

  #show() {
    const { isTTY, columns = 80 } = this.#stream;
    const running = [...this.#running.keys()].map((suite) => suite.replace(/^test\//, '')).join(', ');
    this.#stream.write(isTTY ? `${CLEAR}${`${this.line()}  ${running}`.slice(0, columns - 1)}` : `# ${this.line()}\n`);
    this.#isShown = isTTY === true;
  }

  line() {
    const { passed, failed } = this.#counts;
    // A file that runs again, alone, is a suite more.
    const done = Math.min(this.#ended.suites, this.#total);
    const left = Math.ceil(this.#secondsLeft());
    const time = left > 0 ? `about ${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left` : 'longer than recorded';
    return `${done} of ${this.#total} suites, ${passed.toLocaleString('en')} checks passed, ${failed} failed, ${time}`;
  }

  #secondsSince(time) {
    return (this.#now() - time) / 1000;
  }

  #secondsLeft() {
    // A running suite counts from when it has taken longer than recorded.
    const late = [...this.#running]
      .map(([suite, since]) => ({ recorded: this.#secondsOf(suite), actual: this.#secondsSince(since) }))
      .filter(({ recorded, actual }) => actual > recorded);
    const known = [this.#ended, ...late];
    const recorded = sum(known.map(({ recorded }) => recorded));
    const factor = recorded > 0 ? sum(known.map(({ actual }) => actual)) / recorded : 1;
    const waiting = [...this.#waiting].map((suite) => this.#secondsOf(suite) * factor);
    const running = [...this.#running].map(([suite, since]) => Math.max(0, this.#secondsOf(suite) * factor - this.#secondsSince(since)));
    return Math.max(sum([...waiting, ...running]) / this.#atOnce, ...running, 0);
  }
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
