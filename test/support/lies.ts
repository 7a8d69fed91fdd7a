export { lies } from './handbook.ts';
