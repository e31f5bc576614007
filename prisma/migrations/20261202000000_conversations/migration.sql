-- CreateExtension
CREATE EXTENSION IF NOT EXISTS "pg_trgm";

-- CreateExtension
CREATE EXTENSION IF NOT EXISTS "btree_gin";

-- CreateEnum
CREATE TYPE "ConversationEntryType" AS ENUM ('MESSAGE', 'TOOL_CALL', 'ARTIFACT');

-- AlterTable
ALTER TABLE "session" ADD COLUMN     "change_head" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "entry_head" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "projected_head" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "conversation_entry" (
    "session_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "type" "ConversationEntryType" NOT NULL,
    "key" TEXT NOT NULL,
    "event_number" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3),
    "folded" TEXT,

    CONSTRAINT "conversation_entry_pkey" PRIMARY KEY ("session_id","number")
);

-- CreateTable
CREATE TABLE "conversation_change" (
    "session_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "entry_number" INTEGER NOT NULL,
    "type" "ConversationEntryType" NOT NULL,

    CONSTRAINT "conversation_change_pkey" PRIMARY KEY ("session_id","number")
);

-- CreateIndex
CREATE INDEX "conversation_entry_session_id_type_number_idx" ON "conversation_entry"("session_id", "type", "number");

-- CreateIndex
CREATE UNIQUE INDEX "conversation_entry_session_id_key_key" ON "conversation_entry"("session_id", "key");

-- CreateIndex
CREATE INDEX "conversation_change_session_id_type_number_idx" ON "conversation_change"("session_id", "type", "number");

-- AddForeignKey
ALTER TABLE "conversation_entry" ADD CONSTRAINT "conversation_entry_session_id_event_number_fkey" FOREIGN KEY ("session_id", "event_number") REFERENCES "event"("session_id", "number") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation_change" ADD CONSTRAINT "conversation_change_session_id_entry_number_fkey" FOREIGN KEY ("session_id", "entry_number") REFERENCES "conversation_entry"("session_id", "number") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma's schema cannot say: the trigrams of what a search compares, session by session. Its list of pending entries is short,
-- since every search reads it.
CREATE INDEX "conversation_entry_session_id_folded_idx" ON "conversation_entry" USING GIN ("session_id", "folded" gin_trgm_ops) WITH (gin_pending_list_limit = 1024) WHERE "folded" IS NOT NULL;
