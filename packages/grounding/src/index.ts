export * from './verify-sentences.ts';
