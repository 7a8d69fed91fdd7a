# The server in a container: docs/operate.md says how it is run, and `npm run check:image` whether it does.
# The Node is the one that package.json brings and the tests run on (a test holds them equal), from a base that has the C library which
# SQLite's binary needs.
FROM node:24.21.0-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# What npm runs scripts with.
COPY scripts/shell ./scripts/shell

FROM base AS page
RUN npm ci --ignore-scripts
COPY tsconfig.json vite.config.ts ./
COPY scripts/build-page.ts ./scripts/
COPY src ./src
RUN npm run build:page

FROM base AS packages
# Without the Node among the packages, which the image has, and without what only compilers and debuggers read: 40 % of what is left.
RUN npm ci --ignore-scripts --omit=dev \
 && rm -r node_modules/.bin node_modules/node-linux-* \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
 && mkdir data

FROM node:24.21.0-slim AS server
# Nothing listens to all addresses without API_KEYS or a JWT setting: the server says so and ends.
# The heap has 70 % of the memory limit of the container. The rest is for vectors, buffers and the processes of parsers.
ENV HOST=0.0.0.0 PORT=4111 KNOWLEDGE_DIR=/data/knowledge STATE_DIR=/data/state INDEX_DIR=/data/index NODE_OPTIONS=--max-old-space-size-percentage=70
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=page /app/dist ./dist
COPY package.json ./
COPY src ./src
COPY tools ./tools
COPY samples ./samples
COPY knowledge ./knowledge
# All that is written to; the files above belong to root. A number, because Kubernetes cannot tell whether a name is root.
COPY --from=packages --chown=1000:1000 /app/data /data
VOLUME /data
USER 1000:1000
EXPOSE 4111
HEALTHCHECK --interval=5s --timeout=3s --start-period=120s --start-interval=1s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "src/main.ts"]
