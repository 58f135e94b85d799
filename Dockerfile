# syntax=docker/dockerfile:1
# BUILD_IMAGE needs Node.js 20 or newer with npm. BASE_IMAGE needs only glibc and apt: the lock file brings the Node.js that Weir runs on.
ARG BUILD_IMAGE=docker.io/library/node:24-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
ARG BASE_IMAGE=docker.io/library/debian:trixie-slim@sha256:a29215f6a35e51e22adffa17f89e9d2ef06214e64a2bad10d765c46aea49f11f

# Programs and pages are the same for every architecture, so they are built on the builder's own.
FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS built
WORKDIR /weir
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run prepare \
  && mkdir /built \
  && find . -path ./node_modules -prune -o -type d -name dist -prune -exec cp --recursive --parents {} /built \;

# Packages bring programs for every platform, headers and manuals: of these only what runs here is kept.
FROM ${BUILD_IMAGE} AS packages
WORKDIR /weir
COPY .npmrc package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share node_modules/node-linux-*/CHANGELOG.md \
  && find node_modules/onnxruntime-node/bin/napi-v3 -mindepth 2 -maxdepth 2 ! -path "*/linux/$(node -p process.arch)" -exec rm -rf {} + \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM ${BASE_IMAGE}
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/cache/ldconfig/* /var/lib/dpkg/*-old /var/log/* \
  && groupadd --gid 10001 weir \
  && useradd --uid 10001 --gid weir --home-dir /data --no-create-home --shell /usr/sbin/nologin weir \
  && install -d -o weir -g weir -m 700 /data \
  && ln -s /weir/bin/weir.js /usr/local/bin/weir
COPY --from=packages /weir/node_modules /weir/node_modules
COPY package.json CHANGELOG.md LICENSE /weir/
COPY bin /weir/bin
COPY --from=built /built /weir

ARG VERSION=dev
ARG REVISION=dev
LABEL org.opencontainers.image.title="Weir" \
  org.opencontainers.image.description="A gateway in front of AI model providers" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENV PATH=/weir/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  HOST=0.0.0.0 \
  PORT=3099 \
  MALLOC_ARENA_MAX=2 \
  MALLOC_TRIM_THRESHOLD_=131072 \
  WEIR_DATA_DIR=/data \
  WEIR_REVISION=${REVISION}
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 3099
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=11m --retries=3 CMD ["node", "/weir/bin/health.js"]
# Under an init: the watchdog of process 1 could not end it.
ENTRYPOINT ["tini", "--", "weir"]
CMD ["serve"]
