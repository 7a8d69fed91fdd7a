import { expect, it } from 'vitest';
import { scrub } from '../../src/log.ts';

it.each([
  'Authorization: Bearer abc.def-123',
  '{"authorization":"Bearer abc.def-123"}',
  'x-api-key: abc.def-123',
  'LLM_API_KEY=abc.def-123',
  'Incorrect API key provided: sk-abc.def-123',
  'token eyJhbGciOi.eyJzdWIi.abc.def-123',
  'https://user:abc.def-123@example.com/x',
])('hides the secret in %j', (text) => expect(scrub(text)).not.toContain('def-123'));
