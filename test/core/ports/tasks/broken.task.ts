throw new Error('it broke while it was imported');

export default function never(): void {}
