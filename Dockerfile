# The server as an image. docs/operate.md describes how to run it; `npm run check:image` checks it.
# Same Node version as packages/runtime (a test compares them), on a base with the C library that SQLite's binary needs.
# The first stages run on the builder's platform, because nothing in them is compiled for a platform.
FROM --platform=$BUILDPLATFORM node:24.21.0-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The shell that npm runs scripts with.
COPY scripts/shell ./scripts/shell
# Only what npm reads, so that a change of the code does not install again.
COPY packages/calls/package.json ./packages/calls/
COPY packages/client/package.json ./packages/client/
COPY packages/converters/package.json ./packages/converters/
COPY packages/grounding/package.json ./packages/grounding/
COPY packages/mastra/package.json ./packages/mastra/
COPY packages/runtime/package.json ./packages/runtime/

FROM base AS build
RUN npm ci --ignore-scripts
COPY packages ./packages
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
COPY tools ./tools
# Maps, types and the stamp of the client's types are for developers.
RUN npm run build \
 && find dist -name '*.map' -delete -o -name '*.d.ts' -delete -o -name '*.sha256' -delete

FROM base AS packages
# Without Node's package, which duplicates the image's Node, and packages that only development needs: npm keeps them if a package could
# use them. Then with the optional peers: PostgreSQL and tracing. With devDependencies, npm's list (CycloneDX) would lack most packages.
# Removes files for compilers and debuggers: 40 % of the rest.
RUN npm ci --ignore-scripts --omit=dev --omit=optional \
 && npm install --ignore-scripts --omit=dev --omit=optional --save-prod $(node -p "Object.entries(require('./package.json').peerDependencies).map((peer) => peer.join('@')).join(' ')") \
 && npm pkg delete devDependencies \
 && npm sbom --sbom-format=cyclonedx > sbom.json \
 && rm -r node_modules/.bin node_modules/@knowledge-agent \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
 && mkdir data

FROM node:24.21.0-slim AS server
LABEL org.opencontainers.image.title="Knowledge Agent Service" org.opencontainers.image.description="Answers questions from documents, with citations"
# Without API_KEYS or a JWT setting the server refuses to listen on all addresses and exits with a message.
# The heap has 70 % of the memory limit of the container. The rest is for vectors, buffers and the processes of parsers.
ENV HOST=0.0.0.0 PORT=4111 KNOWLEDGE_DIR=/data/knowledge STATE_DIR=/data/state INDEX_DIR=/data/index NODE_OPTIONS=--max-old-space-size-percentage=70
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/sbom.json ./
COPY --from=build /app/dist ./dist
COPY package.json .env.example ./
COPY samples ./samples
COPY knowledge ./knowledge
# The only writable folder; root owns the files above. A numeric user, because Kubernetes cannot tell whether a name is root.
COPY --from=packages --chown=1000:1000 /app/data /data
VOLUME /data
USER 1000:1000
EXPOSE 4111
# Each check starts Node, so it is rare once the server is ready.
HEALTHCHECK --interval=30s --timeout=3s --start-period=120s --start-interval=1s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "dist/src/main.js"]
