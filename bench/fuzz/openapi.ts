/** Operations of an OpenAPI document: parameters, bodies and documented responses. */

/** Subset of JSON Schema 2020-12 that the fuzz reads; ajv validates the rest. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

type Contents = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Operation {
  readonly id: string;
  /** Uppercase. */
  readonly method: string;
  /** `/api/jobs/{id}` */
  readonly template: string;
  readonly parameters: readonly OperationParameter[];
  readonly body: Contents;
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly OperationParameter[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Operation['responses'];
}
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

export const operationsOf = ({ paths }: ApiDocument): Operation[] =>
  Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId, parameters = [], requestBody, responses }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        template,
        parameters,
        body: requestBody?.content ?? {},
        responses,
      }),
    ),
  );

/** Matches a path template; the last parameter may contain slashes, like model ids. */
const matcherOf = (template: string) => {
  const escaped = template.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(
    `^${template.startsWith('/v1/models/') ? escaped.replace('[^/]+', '.+') : escaped}$`,
  );
};

/** Paths that a server may read from a sent one: unchanged, with resolved dots, and decoded. */
function readingsOf(path: string): string[] {
  const resolved = URL.parse(path, 'http://localhost')?.pathname ?? path;
  const decoded = [path, resolved].map((one) => {
    try {
      return decodeURI(one);
    } catch {
      return one;
    }
  });
  return [...new Set([path, resolved, ...decoded])];
}

/** @returns the operations that a request may reach, even a mutilated one */
export function createRouter(
  operations: readonly Operation[],
): (method: string, path: string) => Operation[] {
  const known = operations.map((operation) => ({
    operation,
    matcher: matcherOf(operation.template),
  }));
  return (method, path) => {
    const asked = method === 'HEAD' ? 'GET' : method;
    const readings = readingsOf(path.replace(/[?#].*$/s, ''));
    return known
      .filter(
        ({ operation, matcher }) =>
          operation.method === asked && readings.some((one) => matcher.test(one)),
      )
      .map(({ operation }) => operation);
  };
}
