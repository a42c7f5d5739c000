throw new Error('it threw while it was imported');

export default function never(): void {}
